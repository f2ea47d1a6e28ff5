// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {GatewayBalances} from "../src/gateway/GatewayBalances.sol";
import {GatewayCommon} from "../src/gateway/GatewayCommon.sol";
import {GatewayWallet} from "../src/gateway/GatewayWallet.sol";
import {GatewayFixture} from "./support/GatewayFixture.sol";
import {vm} from "./support/Vm.sol";

contract GatewayBurnsTest is GatewayFixture {
    event GatewayBurned(
        address indexed token,
        address indexed depositor,
        bytes32 indexed transferSpecHash,
        uint32 destinationDomain,
        bytes32 destinationRecipient,
        address signer,
        uint256 value,
        uint256 fee,
        uint256 fromAvailable,
        uint256 fromWithdrawing
    );
    event InsufficientBalance(
        address indexed token,
        address indexed depositor,
        uint256 value,
        uint256 availableBalance,
        uint256 withdrawingBalance
    );

    address private usdc;

    function setUp() public override {
        super.setUp();
        usdc = address(base.token);
        depositOn(base, ALICE, 100e6);
    }

    /// The operator mints on one chain what it burns on the other; its fee comes on top.
    function test_aTransfer() public {
        Spec memory spec = specFor(base, arc, 50e6, "salt");
        mintOn(arc, spec);
        vm.assertEq(arc.token.balanceOf(CAROL), 50e6, "minted");
        vm.expectEmit(address(base.wallet));
        emit GatewayBurned(usdc, ALICE, transferId(spec), ARC, padded(CAROL), ALICE, 50e6, 0.01e6, 50e6 + 0.01e6, 0);
        burnOn(base, spec, 1e6, 0.01e6);
        requireBalances(50e6 - 0.01e6, 0);
        vm.assertEq(base.token.totalSupply(), 50e6, "burned");
        vm.assertEq(base.token.balanceOf(FEES), 0.01e6, "fee");
        vm.assertTrue(base.wallet.isTransferSpecHashUsed(transferId(spec)), "used");
    }

    function test_aTransferIsBurnedOnce() public {
        Spec memory spec = specFor(base, arc, 10e6, "salt");
        burnOn(base, spec, 1e6, 0);
        bytes memory again = signedBurn(spec, ALICE_KEY, 2e6, 0);
        refuses(again, abi.encodeWithSelector(GatewayCommon.TransferSpecHashUsed.selector, transferId(spec)));
        burnOn(base, specFor(base, arc, 10e6, "other salt"), 1e6, 0);
        requireBalances(80e6, 0);
    }

    /// What is being withdrawn can still be burned: that is what the delay is for.
    function test_aStartedWithdrawalDoesNotEscape() public {
        vm.prank(ALICE);
        base.wallet.initiateWithdrawal(usdc, 70e6);
        Spec memory spec = specFor(base, arc, 50e6, "salt");
        vm.expectEmit(address(base.wallet));
        emit GatewayBurned(usdc, ALICE, transferId(spec), ARC, padded(CAROL), ALICE, 50e6, 0, 30e6, 20e6);
        burnOn(base, spec, 0, 0);
        requireBalances(0, 50e6);
    }

    /// The value before the fee, and what is there rather than nothing.
    function testFuzz_whatIsMissingIsTheOperatorsLoss(uint256 value, uint256 fee) public {
        value = 1 + value % 200e6;
        fee = fee % 10e6;
        Spec memory spec = specFor(base, arc, value, "salt");
        uint256 burned = value < 100e6 ? value : 100e6;
        uint256 charged = 100e6 - burned < fee ? 100e6 - burned : fee;
        if (value + fee > 100e6) {
            vm.expectEmit(address(base.wallet));
            emit InsufficientBalance(usdc, ALICE, value + fee, 100e6, 0);
        }
        burnOn(base, spec, fee, fee);
        requireBalances(100e6 - burned - charged, 0);
        vm.assertEq(base.token.totalSupply(), 100e6 - burned, "burned");
        vm.assertEq(base.token.balanceOf(FEES), charged, "fee");
    }

    function test_aDelegateSigns() public {
        Spec memory spec = specFor(base, arc, 10e6, "salt");
        spec.sourceSigner = padded(BOB);
        refuses(signedBurn(spec, BOB_KEY, 0, 0), abi.encodeWithSelector(GatewayBalances.NotAuthorized.selector));
        vm.prank(ALICE);
        base.wallet.addDelegate(usdc, BOB);
        submit(signedBurn(spec, BOB_KEY, 0, 0));
        // What a delegate signed before it was removed may have been attested.
        spec.salt = "other";
        vm.prank(ALICE);
        base.wallet.removeDelegate(usdc, BOB);
        submit(signedBurn(spec, BOB_KEY, 0, 0));
        requireBalances(80e6, 0);
    }

    /// Removing somebody who never was a delegate does not make him one.
    function test_whoWasNeverADelegateBurnsNothing() public {
        vm.prank(ALICE);
        base.wallet.removeDelegate(usdc, BOB);
        Spec memory spec = specFor(base, arc, 10e6, "salt");
        spec.sourceSigner = padded(BOB);
        refuses(signedBurn(spec, BOB_KEY, 0, 0), abi.encodeWithSelector(GatewayBalances.NotAuthorized.selector));
    }

    function test_theSignerIsTheNamedOne() public {
        Spec memory spec = specFor(base, arc, 10e6, "salt");
        refuses(
            signedBurn(spec, BOB_KEY, 0, 0),
            abi.encodeWithSelector(GatewayWallet.InvalidIntentSourceSignerAtIndex.selector, 0, ALICE, BOB)
        );
    }

    function test_onlyTheOperatorSubmits() public {
        bytes memory calldataBytes = signedBurn(specFor(base, arc, 10e6, "salt"), ALICE_KEY, 0, 0);
        bytes memory foreign = signMessage(BOB_KEY, calldataBytes);
        vm.expectRevert(GatewayWallet.InvalidBurnSigner.selector);
        base.wallet.gatewayBurn(calldataBytes, foreign);
        vm.prank(ADMINISTRATOR);
        base.wallet.removeBurnSigner(vm.addr(OPERATOR_KEY));
        refuses(calldataBytes, abi.encodeWithSelector(GatewayWallet.InvalidBurnSigner.selector));
        vm.prank(ADMINISTRATOR);
        base.wallet.addBurnSigner(BOB);
        base.wallet.gatewayBurn(calldataBytes, foreign);
    }

    function test_badIntentsAreRefused() public {
        Spec memory spec = specFor(base, arc, 0, "salt");
        refuses(
            signedBurn(spec, ALICE_KEY, 0, 0),
            abi.encodeWithSelector(GatewayWallet.IntentValueMustBePositiveAtIndex.selector, 0)
        );
        spec = specFor(base, arc, 10e6, "salt");
        refuses(
            signedBurn(spec, ALICE_KEY, 1e6, 1e6 + 1),
            abi.encodeWithSelector(GatewayWallet.BurnFeeTooHighAtIndex.selector, 0, 1e6, 1e6 + 1)
        );
        spec.sourceContract = padded(address(arc.wallet));
        refuses(
            signedBurn(spec, ALICE_KEY, 0, 0),
            abi.encodeWithSelector(
                GatewayWallet.InvalidIntentSourceContractAtIndex.selector, 0, address(arc.wallet), address(base.wallet)
            )
        );
        spec = specFor(base, arc, 10e6, "salt");
        spec.sourceToken = padded(address(arc.token));
        refuses(
            signedBurn(spec, ALICE_KEY, 0, 0),
            abi.encodeWithSelector(GatewayWallet.UnsupportedTokenAtIndex.selector, 0, address(arc.token))
        );
    }

    function test_anIntentEndsWithItsBlock() public {
        Spec memory spec = specFor(base, arc, 10e6, "salt");
        uint256 last = block.number + 5;
        bytes memory calldataBytes = packBurn(encodeIntent(last, 0, spec), signIntent(ALICE_KEY, last, 0, spec), 0);
        vm.roll(last + 1);
        refuses(calldataBytes, abi.encodeWithSelector(GatewayWallet.IntentExpiredAtIndex.selector, 0, last, last + 1));
        vm.roll(last);
        submit(calldataBytes);
    }

    function test_intentsOfOtherChainsAreLeftToThem() public {
        depositOn(arc, ALICE, 100e6);
        Spec[] memory specs = new Spec[](2);
        specs[0] = specFor(arc, base, 20e6, "one");
        specs[1] = specFor(base, arc, 30e6, "two");
        bytes memory calldataBytes = packSet(specs, 1e6);
        submit(calldataBytes);
        requireBalances(100e6 - 31e6, 0);
        vm.assertEq(base.token.balanceOf(FEES), 1e6, "fee of one");
        vm.assertEq(arc.wallet.availableBalance(address(arc.token), ALICE), 100e6, "untouched");
        bytes memory signature = signMessage(OPERATOR_KEY, calldataBytes);
        arc.wallet.gatewayBurn(calldataBytes, signature);
        vm.assertEq(arc.wallet.availableBalance(address(arc.token), ALICE), 100e6 - 21e6, "then its own");
        refuses(
            signedBurn(specFor(arc, base, 1e6, "three"), ALICE_KEY, 0, 0),
            abi.encodeWithSelector(GatewayWallet.NoRelevantBurnIntents.selector)
        );
    }

    function test_aSetIsOneTokenAndAllPositive() public {
        Spec[] memory specs = new Spec[](2);
        specs[0] = specFor(base, arc, 10e6, "one");
        specs[1] = specFor(arc, base, 0, "two");
        refuses(packSet(specs, 0), abi.encodeWithSelector(GatewayWallet.IntentValueMustBePositiveAtIndex.selector, 1));
        vm.prank(ADMINISTRATOR);
        base.wallet.addSupportedToken(address(arc.token));
        specs[1] = specFor(base, arc, 10e6, "two");
        specs[1].sourceToken = padded(address(arc.token));
        refuses(packSet(specs, 0), abi.encodeWithSelector(GatewayWallet.NotAllSameToken.selector));
    }

    function test_mismatchedListsAreRefused() public {
        bytes[] memory none = new bytes[](0);
        uint256[][] memory noFees = new uint256[][](0);
        refuses(
            abi.encode(none, none, noFees), abi.encodeWithSelector(GatewayWallet.MustHaveAtLeastOneBurnIntent.selector)
        );
        bytes[] memory one = new bytes[](1);
        one[0] = encodeIntent(FOREVER, 0, specFor(base, arc, 1, "salt"));
        bytes memory mismatch = abi.encodeWithSelector(GatewayWallet.MismatchedBurn.selector);
        refuses(abi.encode(one, none, noFees), mismatch);
        refuses(abi.encode(one, one, noFees), mismatch);
        refuses(abi.encode(one, one, new uint256[][](1)), mismatch);
        one[0] = hex"e999239b00000000";
        refuses(
            abi.encode(one, one, new uint256[][](1)),
            abi.encodeWithSelector(GatewayWallet.MustHaveAtLeastOneBurnIntent.selector)
        );
    }

    function test_aPauseStopsBurning() public {
        bytes memory calldataBytes = signedBurn(specFor(base, arc, 10e6, "salt"), ALICE_KEY, 0, 0);
        vm.prank(ADMINISTRATOR);
        base.wallet.pause();
        refuses(calldataBytes, abi.encodeWithSelector(Pausable.EnforcedPause.selector));
        vm.prank(ADMINISTRATOR);
        base.wallet.unpause();
        submit(calldataBytes);
    }

    /// Whatever the operator changes in an intent, the depositor did not sign it.
    function testFuzz_anAlteredIntentIsRefused(uint8 field, uint160 change) public {
        Spec memory spec = specFor(base, arc, 10e6, "salt");
        bytes memory signature = signIntent(ALICE_KEY, FOREVER, 1e6, spec);
        uint256 which = field % 6;
        bytes32 other = keccak256(abi.encode(change));
        if (which == 0) spec.destinationRecipient = other;
        if (which == 1) spec.value = 10e6 + 1 + change % 90e6;
        if (which == 2) spec.salt = other;
        if (which == 3) spec.destinationDomain = 7;
        if (which == 4) spec.hookData = "hook";
        uint256 maxFee = which == 5 ? 1e6 + 1 + change : 1e6;
        bytes memory calldataBytes = packBurn(encodeIntent(FOREVER, maxFee, spec), signature, 0);
        bytes memory operatorSignature = signMessage(OPERATOR_KEY, calldataBytes);
        vm.expectRevert();
        base.wallet.gatewayBurn(calldataBytes, operatorSignature);
        requireBalances(100e6, 0);
    }

    function signedBurn(Spec memory spec, uint256 key, uint256 maxFee, uint256 fee)
        private
        pure
        returns (bytes memory)
    {
        return packBurn(encodeIntent(FOREVER, maxFee, spec), signIntent(key, FOREVER, maxFee, spec), fee);
    }

    function packSet(Spec[] memory specs, uint256 fee) private pure returns (bytes memory) {
        bytes[] memory intents = new bytes[](1);
        bytes[] memory signatures = new bytes[](1);
        uint256[][] memory fees = new uint256[][](1);
        intents[0] = abi.encodePacked(hex"e999239b", uint32(specs.length));
        fees[0] = new uint256[](specs.length);
        bytes memory hashes;
        for (uint256 index = 0; index < specs.length; index++) {
            intents[0] = bytes.concat(intents[0], encodeIntent(FOREVER, fee, specs[index]));
            hashes = bytes.concat(hashes, hashIntent(FOREVER, fee, specs[index]));
            fees[0][index] = fee;
        }
        signatures[0] = signTyped(ALICE_KEY, keccak256(abi.encode(SET_TYPEHASH, keccak256(hashes))));
        return abi.encode(intents, signatures, fees);
    }

    function submit(bytes memory calldataBytes) private {
        bytes memory signature = signMessage(OPERATOR_KEY, calldataBytes);
        base.wallet.gatewayBurn(calldataBytes, signature);
    }

    function refuses(bytes memory calldataBytes, bytes memory reason) private {
        bytes memory signature = signMessage(OPERATOR_KEY, calldataBytes);
        vm.expectRevert(reason);
        base.wallet.gatewayBurn(calldataBytes, signature);
    }

    function requireBalances(uint256 available, uint256 withdrawing) private view {
        vm.assertEq(base.wallet.availableBalance(usdc, ALICE), available, "available");
        vm.assertEq(base.wallet.withdrawingBalance(usdc, ALICE), withdrawing, "withdrawing");
        vm.assertEq(
            base.token.balanceOf(address(base.wallet)), available + withdrawing, "the wallet holds its balances"
        );
    }
}
