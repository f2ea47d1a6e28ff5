// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {Stablecoin} from "../src/Stablecoin.sol";
import {GatewayBalances} from "../src/gateway/GatewayBalances.sol";
import {GatewayCommon} from "../src/gateway/GatewayCommon.sol";
import {GatewayFixture} from "./support/GatewayFixture.sol";
import {vm} from "./support/Vm.sol";

/// Deposits, withdrawals and delegates.
contract GatewayWalletTest is GatewayFixture {
    event Deposited(address indexed token, address indexed depositor, address indexed sender, uint256 value);
    event WithdrawalInitiated(
        address indexed token,
        address indexed depositor,
        uint256 value,
        uint256 remainingAvailable,
        uint256 totalWithdrawing,
        uint256 withdrawalBlock
    );
    event WithdrawalCompleted(address indexed token, address indexed depositor, uint256 value);

    address private usdc;

    function setUp() public override {
        super.setUp();
        // What the token's fixture mints and signs for.
        token = base.token;
        usdc = address(base.token);
    }

    function test_aDepositIsTheCallers() public {
        mintTo(ALICE, 100e6);
        vm.prank(ALICE);
        token.approve(address(base.wallet), 100e6);
        vm.expectEmit(address(base.wallet));
        emit Deposited(usdc, ALICE, ALICE, 100e6);
        vm.prank(ALICE);
        base.wallet.deposit(usdc, 100e6);
        requireBalances(100e6, 0);
        vm.assertEq(token.balanceOf(address(base.wallet)), 100e6, "held");
    }

    function test_aDepositForSomebodyElse() public {
        mintTo(BOB, 100e6);
        vm.prank(BOB);
        token.approve(address(base.wallet), 100e6);
        vm.expectEmit(address(base.wallet));
        emit Deposited(usdc, ALICE, BOB, 100e6);
        vm.prank(BOB);
        base.wallet.depositFor(usdc, ALICE, 100e6);
        requireBalances(100e6, 0);
        blockAccount(CAROL);
        vm.expectRevert(abi.encodeWithSelector(GatewayBalances.DepositorIsBlacklisted.selector, CAROL));
        base.wallet.depositFor(usdc, CAROL, 1);
        vm.expectRevert(GatewayCommon.InvalidAddress.selector);
        base.wallet.depositFor(usdc, address(0), 1);
    }

    /// A wallet without gas deposits by signature.
    function test_aDepositWithAnAuthorization() public {
        mintTo(ALICE, 100e6);
        Authorization memory given = authorization(ALICE, address(base.wallet), 60e6, "one");
        bytes memory signature = packed(ALICE_KEY, receiveHash(given));
        vm.prank(STRANGER);
        base.wallet
            .depositWithAuthorization(
                usdc, ALICE, given.value, given.validAfter, given.validBefore, given.nonce, signature
            );
        given = authorization(ALICE, address(base.wallet), 40e6, "two");
        (uint8 v, bytes32 r, bytes32 s) = signStruct(ALICE_KEY, receiveHash(given));
        base.wallet
            .depositWithAuthorization(
                usdc, ALICE, given.value, given.validAfter, given.validBefore, given.nonce, v, r, s
            );
        requireBalances(100e6, 0);
    }

    function test_aDepositWithAPermit() public {
        mintTo(ALICE, 100e6);
        address spender = address(base.wallet);
        bytes memory signature = packed(ALICE_KEY, permitHash(ALICE, spender, 60e6, 0, NOW));
        base.wallet.depositWithPermit(usdc, ALICE, 60e6, NOW, signature);
        (uint8 v, bytes32 r, bytes32 s) = signStruct(ALICE_KEY, permitHash(ALICE, spender, 40e6, 1, NOW));
        base.wallet.depositWithPermit(usdc, ALICE, 40e6, NOW, v, r, s);
        requireBalances(100e6, 0);
    }

    function test_badDepositsAreRefused() public {
        vm.expectRevert(GatewayBalances.DepositValueMustBePositive.selector);
        base.wallet.deposit(usdc, 0);
        vm.expectRevert(abi.encodeWithSelector(GatewayCommon.UnsupportedToken.selector, address(arc.token)));
        base.wallet.deposit(address(arc.token), 1);
        vm.prank(ALICE);
        vm.expectRevert("ERC20: transfer amount exceeds allowance");
        base.wallet.deposit(usdc, 1);
        requireBalances(0, 0);
    }

    /// A plain transfer is nobody's deposit.
    function test_aTransferIsNoDeposit() public {
        mintTo(ALICE, 100e6);
        vm.prank(ALICE);
        token.transfer(address(base.wallet), 100e6);
        requireBalances(0, 0);
    }

    function test_aWithdrawalWaitsForItsDelay() public {
        depositOn(base, ALICE, 100e6);
        vm.expectEmit(address(base.wallet));
        emit WithdrawalInitiated(usdc, ALICE, 60e6, 40e6, 60e6, block.number + DELAY);
        vm.prank(ALICE);
        base.wallet.initiateWithdrawal(usdc, 60e6);
        requireBalances(40e6, 60e6);
        vm.assertEq(base.wallet.withdrawableBalance(usdc, ALICE), 0, "not yet");
        vm.roll(block.number + DELAY - 1);
        vm.prank(ALICE);
        vm.expectRevert(GatewayBalances.WithdrawalNotYetAvailable.selector);
        base.wallet.withdraw(usdc);
        vm.roll(block.number + 1);
        vm.assertEq(base.wallet.withdrawableBalance(usdc, ALICE), 60e6, "withdrawable");
        vm.expectEmit(address(base.wallet));
        emit WithdrawalCompleted(usdc, ALICE, 60e6);
        vm.prank(ALICE);
        base.wallet.withdraw(usdc);
        requireBalances(40e6, 0);
        vm.assertEq(token.balanceOf(ALICE), 60e6, "out");
        vm.prank(ALICE);
        vm.expectRevert(GatewayBalances.NoWithdrawingBalance.selector);
        base.wallet.withdraw(usdc);
    }

    function test_aSecondWithdrawalStartsTheDelayAgain() public {
        depositOn(base, ALICE, 100e6);
        vm.prank(ALICE);
        base.wallet.initiateWithdrawal(usdc, 60e6);
        vm.roll(block.number + DELAY);
        vm.prank(ALICE);
        base.wallet.initiateWithdrawal(usdc, 40e6);
        vm.prank(ALICE);
        vm.expectRevert(GatewayBalances.WithdrawalNotYetAvailable.selector);
        base.wallet.withdraw(usdc);
        vm.roll(block.number + DELAY);
        vm.prank(ALICE);
        base.wallet.withdraw(usdc);
        vm.assertEq(token.balanceOf(ALICE), 100e6, "out");
    }

    function test_badWithdrawalsAreRefused() public {
        depositOn(base, ALICE, 100e6);
        vm.prank(ALICE);
        vm.expectRevert(GatewayBalances.WithdrawalValueMustBePositive.selector);
        base.wallet.initiateWithdrawal(usdc, 0);
        vm.prank(ALICE);
        vm.expectRevert(GatewayBalances.WithdrawalValueExceedsAvailableBalance.selector);
        base.wallet.initiateWithdrawal(usdc, 100e6 + 1);
        vm.prank(BOB);
        vm.expectRevert(GatewayBalances.WithdrawalValueExceedsAvailableBalance.selector);
        base.wallet.initiateWithdrawal(usdc, 1);
    }

    /// Neither a pause nor the deny list keeps anybody's money here.
    function test_aPauseTrapsNoDeposit() public {
        depositOn(base, ALICE, 100e6);
        vm.prank(ADMINISTRATOR);
        base.wallet.pause();
        vm.prank(ADMINISTRATOR);
        base.wallet.denylist(ALICE);
        vm.prank(ALICE);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        base.wallet.deposit(usdc, 1);
        vm.prank(ALICE);
        base.wallet.initiateWithdrawal(usdc, 100e6);
        vm.roll(block.number + DELAY);
        vm.prank(ALICE);
        base.wallet.withdraw(usdc);
        vm.assertEq(token.balanceOf(ALICE), 100e6, "out");
    }

    /// Nor does a delay that is made longer while a withdrawal waits, nor one without an end.
    function test_theDelayCannotTrapADeposit() public {
        depositOn(base, ALICE, 100e6);
        vm.prank(ALICE);
        base.wallet.initiateWithdrawal(usdc, 50e6);
        uint256 most = base.wallet.MOST_WITHDRAWAL_DELAY();
        vm.prank(ADMINISTRATOR);
        vm.expectRevert(abi.encodeWithSelector(GatewayBalances.WithdrawalDelayTooLong.selector, most + 1));
        base.wallet.updateWithdrawalDelay(most + 1);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, address(this)));
        base.wallet.updateWithdrawalDelay(1);
        vm.prank(ADMINISTRATOR);
        base.wallet.updateWithdrawalDelay(most);
        vm.roll(block.number + DELAY);
        vm.prank(ALICE);
        base.wallet.withdraw(usdc);
        vm.assertEq(token.balanceOf(ALICE), 50e6, "out");
    }

    function test_pauseAndDenyListStopDeposits() public {
        mintTo(ALICE, 100e6);
        vm.prank(ALICE);
        token.approve(address(base.wallet), 100e6);
        vm.prank(ADMINISTRATOR);
        base.wallet.denylist(ALICE);
        bytes memory denied = abi.encodeWithSelector(GatewayCommon.AccountDenylisted.selector, ALICE);
        vm.prank(ALICE);
        vm.expectRevert(denied);
        base.wallet.deposit(usdc, 1);
        vm.expectRevert(denied);
        base.wallet.depositFor(usdc, ALICE, 1);
        vm.prank(ALICE);
        vm.expectRevert(denied);
        base.wallet.depositFor(usdc, BOB, 1);
        vm.expectRevert(denied);
        base.wallet.depositWithPermit(usdc, ALICE, 1, NOW, "");
        vm.expectRevert(denied);
        base.wallet.depositWithAuthorization(usdc, ALICE, 1, 0, NOW + 1, 0, "");
        vm.prank(ALICE);
        vm.expectRevert(denied);
        base.wallet.addDelegate(usdc, BOB);
        vm.prank(ADMINISTRATOR);
        base.wallet.pause();
        vm.expectRevert(Pausable.EnforcedPause.selector);
        base.wallet.depositFor(usdc, BOB, 1);
        vm.expectRevert(Pausable.EnforcedPause.selector);
        base.wallet.depositWithPermit(usdc, BOB, 1, NOW, "");
        vm.expectRevert(Pausable.EnforcedPause.selector);
        base.wallet.depositWithAuthorization(usdc, BOB, 1, 0, NOW + 1, 0, "");
        vm.expectRevert(Pausable.EnforcedPause.selector);
        base.wallet.addDelegate(usdc, BOB);
        vm.prank(ADMINISTRATOR);
        base.wallet.unpause();
        vm.prank(ADMINISTRATOR);
        base.wallet.unDenylist(ALICE);
        vm.prank(ALICE);
        base.wallet.deposit(usdc, 1);
    }

    function test_delegates() public {
        vm.assertTrue(base.wallet.isAuthorizedForBalance(usdc, ALICE, ALICE), "self");
        vm.assertFalse(base.wallet.isAuthorizedForBalance(usdc, ALICE, BOB), "before");
        vm.prank(ALICE);
        base.wallet.addDelegate(usdc, BOB);
        vm.assertTrue(base.wallet.isAuthorizedForBalance(usdc, ALICE, BOB), "added");
        vm.prank(ALICE);
        base.wallet.removeDelegate(usdc, BOB);
        vm.assertFalse(base.wallet.isAuthorizedForBalance(usdc, ALICE, BOB), "removed");
        vm.prank(ALICE);
        vm.expectRevert(GatewayBalances.CannotDelegateToSelf.selector);
        base.wallet.addDelegate(usdc, ALICE);
        vm.prank(ALICE);
        vm.expectRevert(GatewayCommon.InvalidAddress.selector);
        base.wallet.addDelegate(usdc, address(0));
    }

    function test_onlyTheOwnerAndItsRolesChangeAnything() public {
        bytes memory refusal = abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, address(this));
        vm.expectRevert(refusal);
        base.wallet.addBurnSigner(STRANGER);
        vm.expectRevert(refusal);
        base.wallet.removeBurnSigner(STRANGER);
        vm.expectRevert(refusal);
        base.wallet.updateFeeRecipient(STRANGER);
        vm.expectRevert(refusal);
        base.wallet.addSupportedToken(STRANGER);
        vm.expectRevert(refusal);
        base.wallet.updatePauser(STRANGER);
        vm.expectRevert(refusal);
        base.wallet.updateDenylister(STRANGER);
        bytes memory notPauser = abi.encodeWithSelector(GatewayCommon.UnauthorizedPauser.selector, address(this));
        vm.expectRevert(notPauser);
        base.wallet.pause();
        vm.expectRevert(notPauser);
        base.wallet.unpause();
        bytes memory notLister = abi.encodeWithSelector(GatewayCommon.UnauthorizedDenylister.selector, address(this));
        vm.expectRevert(notLister);
        base.wallet.denylist(STRANGER);
        vm.expectRevert(notLister);
        base.wallet.unDenylist(STRANGER);
        vm.prank(ADMINISTRATOR);
        vm.expectRevert(GatewayCommon.InvalidAddress.selector);
        base.wallet.updateFeeRecipient(address(0));
        vm.prank(ADMINISTRATOR);
        vm.expectRevert(GatewayCommon.InvalidAddress.selector);
        base.wallet.addBurnSigner(address(0));
        Stablecoin other = arc.token;
        vm.prank(ADMINISTRATOR);
        base.wallet.addSupportedToken(address(other));
        vm.assertTrue(base.wallet.isTokenSupported(address(other)), "supported");
    }

    function requireBalances(uint256 available, uint256 withdrawing) private view {
        vm.assertEq(base.wallet.availableBalance(usdc, ALICE), available, "available");
        vm.assertEq(base.wallet.withdrawingBalance(usdc, ALICE), withdrawing, "withdrawing");
        vm.assertEq(base.wallet.totalBalance(usdc, ALICE), available + withdrawing, "total");
    }
}
