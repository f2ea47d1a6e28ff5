// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {StablecoinFixture} from "./support/StablecoinFixture.sol";
import {vm} from "./support/Vm.sol";

contract StablecoinControlsTest is StablecoinFixture {
    event Blacklisted(address indexed account);
    event UnBlacklisted(address indexed account);
    event Pause();
    event Unpause();
    event MinterConfigured(address indexed minter, uint256 minterAllowedAmount);
    event MinterRemoved(address indexed oldMinter);

    bytes private constant STRANGER_IS_NOT_OWNER =
        abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, STRANGER);

    function test_blocksAndUnblocks() public {
        vm.assertFalse(token.isBlacklisted(ALICE), "at first");
        vm.expectEmit(address(token));
        emit Blacklisted(ALICE);
        blockAccount(ALICE);
        vm.assertTrue(token.isBlacklisted(ALICE), "blocked");
        vm.expectEmit(address(token));
        emit UnBlacklisted(ALICE);
        vm.prank(ADMINISTRATOR);
        token.unBlacklist(ALICE);
        vm.assertFalse(token.isBlacklisted(ALICE), "unblocked");
        vm.assertTrue(token.isBlacklisted(address(token)), "the token itself from the start");
    }

    /// Every way to move money, with the blocked account as payer, as payee and as spender.
    function test_aBlockedAccountMovesNothing() public {
        mintTo(ALICE, 10);
        mintTo(BOB, 10);
        vm.prank(ALICE);
        token.approve(CAROL, 10);
        vm.prank(BOB);
        token.approve(CAROL, 10);
        vm.prank(BOB);
        token.approve(ALICE, 10);
        blockAccount(ALICE);

        vm.prank(ALICE);
        vm.expectRevert(BLOCKED);
        token.transfer(BOB, 1);
        vm.prank(BOB);
        vm.expectRevert(BLOCKED);
        token.transfer(ALICE, 1);
        vm.prank(CAROL);
        vm.expectRevert(BLOCKED);
        token.transferFrom(ALICE, BOB, 1);
        vm.prank(CAROL);
        vm.expectRevert(BLOCKED);
        token.transferFrom(BOB, ALICE, 1);
        vm.prank(ALICE);
        vm.expectRevert(BLOCKED);
        token.transferFrom(BOB, CAROL, 1);
        vm.prank(MINTER);
        vm.expectRevert(BLOCKED);
        token.mint(ALICE, 1);

        Authorization memory outgoing = authorization(ALICE, BOB, 1, "out");
        bytes memory signature = packed(ALICE_KEY, transferHash(outgoing));
        vm.expectRevert(BLOCKED);
        submitTransfer(outgoing, signature);
        Authorization memory incoming = authorization(BOB, ALICE, 1, "in");
        signature = packed(BOB_KEY, transferHash(incoming));
        vm.expectRevert(BLOCKED);
        submitTransfer(incoming, signature);
        signature = packed(ALICE_KEY, receiveHash(outgoing));
        vm.prank(BOB);
        vm.expectRevert(BLOCKED);
        submitReceive(outgoing, signature);
        signature = packed(BOB_KEY, receiveHash(incoming));
        vm.prank(ALICE);
        vm.expectRevert(BLOCKED);
        submitReceive(incoming, signature);

        vm.assertEq(token.balanceOf(ALICE), 10, "blocked balance");
        vm.assertEq(token.balanceOf(BOB), 10, "the other balance");
        vm.assertFalse(token.authorizationState(ALICE, "out"), "a refused authorization stays unused");
    }

    /// As in FiatTokenV2_2: an allowance moves nothing, and what it would allow is refused.
    function test_aBlockedAccountMayStillAllow() public {
        blockAccount(ALICE);
        vm.prank(ALICE);
        token.approve(BOB, 3);
        vm.assertEq(token.allowance(ALICE, BOB), 3, "approve");
        token.permit(ALICE, BOB, 4, NOW, packed(ALICE_KEY, permitHash(ALICE, BOB, 4, 0, NOW)));
        vm.assertEq(token.allowance(ALICE, BOB), 4, "permit");
        token.cancelAuthorization(ALICE, "x", packed(ALICE_KEY, cancelHash(ALICE, "x")));
        vm.assertTrue(token.authorizationState(ALICE, "x"), "cancel");
    }

    /// Blocking the zero address must not stop minting and burning.
    function test_theZeroAddressIsNobody() public {
        blockAccount(address(0));
        mintTo(MINTER, 2);
        vm.prank(MINTER);
        token.burn(2);
        vm.assertEq(token.totalSupply(), 0, "supply");
    }

    function test_pausesEveryMovementAndAllowance() public {
        mintTo(ALICE, 10);
        mintTo(MINTER, 10);
        vm.prank(ALICE);
        token.approve(BOB, 10);
        Authorization memory given = authorization(ALICE, BOB, 1, "n");
        bytes memory forTransfer = packed(ALICE_KEY, transferHash(given));
        bytes memory forReceive = packed(ALICE_KEY, receiveHash(given));
        bytes memory forCancel = packed(ALICE_KEY, cancelHash(ALICE, "n"));
        bytes memory forPermit = packed(ALICE_KEY, permitHash(ALICE, BOB, 1, 0, NOW));
        vm.expectEmit(address(token));
        emit Pause();
        pauseToken();
        vm.assertTrue(token.paused(), "paused");

        vm.prank(ALICE);
        vm.expectRevert(PAUSED);
        token.transfer(BOB, 1);
        vm.prank(BOB);
        vm.expectRevert(PAUSED);
        token.transferFrom(ALICE, BOB, 1);
        vm.prank(ALICE);
        vm.expectRevert(PAUSED);
        token.approve(BOB, 1);
        vm.prank(ALICE);
        vm.expectRevert(PAUSED);
        token.increaseAllowance(BOB, 1);
        vm.prank(ALICE);
        vm.expectRevert(PAUSED);
        token.decreaseAllowance(BOB, 1);
        vm.expectRevert(PAUSED);
        token.permit(ALICE, BOB, 1, NOW, forPermit);
        vm.expectRevert(PAUSED);
        submitTransfer(given, forTransfer);
        vm.prank(BOB);
        vm.expectRevert(PAUSED);
        submitReceive(given, forReceive);
        vm.expectRevert(PAUSED);
        token.cancelAuthorization(ALICE, "n", forCancel);
        vm.prank(MINTER);
        vm.expectRevert(PAUSED);
        token.burn(1);
        vm.prank(ADMINISTRATOR);
        vm.expectRevert(PAUSED);
        token.configureMinter(BOB, 1);

        vm.expectEmit(address(token));
        emit Unpause();
        vm.prank(ADMINISTRATOR);
        token.unpause();
        submitTransfer(given, forTransfer);
        vm.assertEq(token.balanceOf(BOB), 1, "moves again");
    }

    function test_appointsAndRemovesMinters() public {
        vm.expectEmit(address(token));
        emit MinterConfigured(BOB, 7);
        vm.prank(ADMINISTRATOR);
        token.configureMinter(BOB, 7);
        vm.assertTrue(token.isMinter(BOB), "minter");
        vm.assertEq(token.minterAllowance(BOB), 7, "allowance");
        vm.expectEmit(address(token));
        emit MinterRemoved(BOB);
        vm.prank(ADMINISTRATOR);
        token.removeMinter(BOB);
        vm.assertFalse(token.isMinter(BOB), "no minter");
        vm.assertEq(token.minterAllowance(BOB), 0, "no allowance");
        vm.prank(BOB);
        vm.expectRevert("FiatToken: caller is not a minter");
        token.mint(ALICE, 1);
    }

    function test_onlyTheRightRoleActs() public {
        refuseStranger(abi.encodeCall(token.pause, ()), reasonOf("Pausable: caller is not the pauser"));
        refuseStranger(abi.encodeCall(token.unpause, ()), reasonOf("Pausable: caller is not the pauser"));
        refuseStranger(
            abi.encodeCall(token.blacklist, (ALICE)), reasonOf("Blacklistable: caller is not the blacklister")
        );
        refuseStranger(
            abi.encodeCall(token.unBlacklist, (ALICE)), reasonOf("Blacklistable: caller is not the blacklister")
        );
        refuseStranger(
            abi.encodeCall(token.configureMinter, (ALICE, 1)), reasonOf("FiatToken: caller is not the masterMinter")
        );
        refuseStranger(
            abi.encodeCall(token.removeMinter, (MINTER)), reasonOf("FiatToken: caller is not the masterMinter")
        );
        refuseStranger(abi.encodeCall(token.updatePauser, (STRANGER)), STRANGER_IS_NOT_OWNER);
        refuseStranger(abi.encodeCall(token.updateBlacklister, (STRANGER)), STRANGER_IS_NOT_OWNER);
        refuseStranger(abi.encodeCall(token.updateMasterMinter, (STRANGER)), STRANGER_IS_NOT_OWNER);
        refuseStranger(abi.encodeCall(token.transferOwnership, (STRANGER)), STRANGER_IS_NOT_OWNER);
    }

    function reasonOf(string memory message) private pure returns (bytes memory) {
        return abi.encodeWithSignature("Error(string)", message);
    }

    function refuseStranger(bytes memory callData, bytes memory reason) private {
        vm.prank(STRANGER);
        (bool success, bytes memory answer) = address(token).call(callData);
        vm.assertFalse(success, "a stranger acted");
        vm.assertEq(keccak256(answer), keccak256(reason), "reason");
    }

    function test_rolesAreHandedOn() public {
        vm.prank(ADMINISTRATOR);
        token.updatePauser(ALICE);
        vm.prank(ADMINISTRATOR);
        token.updateBlacklister(BOB);
        vm.prank(ADMINISTRATOR);
        token.updateMasterMinter(CAROL);
        vm.prank(CAROL);
        token.configureMinter(CAROL, 1);
        vm.prank(BOB);
        token.blacklist(STRANGER);
        vm.prank(ALICE);
        token.pause();
        vm.assertTrue(token.paused() && token.isBlacklisted(STRANGER) && token.isMinter(CAROL), "new roles act");
        refuse(abi.encodeCall(token.pause, ()), "Pausable: caller is not the pauser");
        refuse(abi.encodeCall(token.blacklist, (ALICE)), "Blacklistable: caller is not the blacklister");
        refuse(abi.encodeCall(token.removeMinter, (ALICE)), "FiatToken: caller is not the masterMinter");
        refuse(abi.encodeCall(token.updatePauser, (address(0))), "Pausable: new pauser is the zero address");
        refuse(
            abi.encodeCall(token.updateBlacklister, (address(0))), "Blacklistable: new blacklister is the zero address"
        );
        refuse(
            abi.encodeCall(token.updateMasterMinter, (address(0))), "FiatToken: new masterMinter is the zero address"
        );
    }

    function refuse(bytes memory callData, string memory reason) private {
        vm.prank(ADMINISTRATOR);
        (bool success, bytes memory answer) = address(token).call(callData);
        vm.assertFalse(success, "the former holder acted");
        vm.assertEq(keccak256(answer), keccak256(reasonOf(reason)), "reason");
    }
}
