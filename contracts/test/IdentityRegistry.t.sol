// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IdentityRegistry} from "../src/registries/IdentityRegistry.sol";
import {RegistryFixture} from "./support/RegistryFixture.sol";
import {vm} from "./support/Vm.sol";

contract IdentityRegistryTest is RegistryFixture {
    function test_agentsAreNumberedFromOne() public {
        vm.assertEq(register(ALICE), 1, "first");
        vm.assertEq(register(BOB), 2, "second");
        vm.prank(ALICE);
        vm.assertEq(identities.register("uri"), 3, "third");
        vm.assertEq(identities.tokenURI(3), "uri", "uri");
        vm.assertEq(identities.tokenURI(1), "", "no uri");
        vm.assertEq(identities.agentOf(ALICE), 1, "her first");
        vm.assertEq(identities.agentOf(BOB), 2, "his");
        vm.assertEq(identities.agentOf(CAROL), 0, "none");
        vm.assertEq(identities.ownerOf(3), ALICE, "owner");
        vm.assertEq(identities.getAgentWallet(3), ALICE, "wallet");
        vm.assertTrue(identities.supportsInterface(0x80ac58cd), "ERC-721");
        vm.expectRevert(unknownAgent(4));
        identities.ownerOf(4);
    }

    function test_saysWhatWasRegistered() public {
        IdentityRegistry.MetadataEntry[] memory entries = new IdentityRegistry.MetadataEntry[](1);
        entries[0] = IdentityRegistry.MetadataEntry("key", "value");
        vm.expectEmit(address(identities));
        emit IdentityRegistry.Registered(1, "uri", ALICE);
        vm.expectEmit(address(identities));
        emit IdentityRegistry.MetadataSet(1, "agentWallet", "agentWallet", abi.encodePacked(ALICE));
        vm.expectEmit(address(identities));
        emit IdentityRegistry.MetadataSet(1, "key", "key", "value");
        vm.prank(ALICE);
        identities.register("uri", entries);
        vm.assertEq(string(identities.getMetadata(1, "key")), "value", "metadata");
        vm.assertEq(keccak256(identities.getMetadata(1, "agentWallet")), keccak256(abi.encodePacked(ALICE)), "wallet");
    }

    function test_theWalletIsNoCommonMetadata() public {
        IdentityRegistry.MetadataEntry[] memory entries = new IdentityRegistry.MetadataEntry[](1);
        entries[0] = IdentityRegistry.MetadataEntry("agentWallet", abi.encodePacked(BOB));
        vm.expectRevert(IdentityRegistry.KeyReserved.selector);
        identities.register("uri", entries);
        register(ALICE);
        vm.prank(ALICE);
        vm.expectRevert(IdentityRegistry.KeyReserved.selector);
        identities.setMetadata(1, "agentWallet", abi.encodePacked(BOB));
    }

    function test_ownerAndWhoMayActForHimChangeAnAgent() public {
        register(ALICE);
        bytes[] memory changes = new bytes[](4);
        changes[0] = abi.encodeCall(identities.setAgentURI, (1, "uri"));
        changes[1] = abi.encodeCall(identities.setMetadata, (1, "key", "value"));
        changes[2] = abi.encodeCall(identities.unsetAgentWallet, (1));
        changes[3] = abi.encodeCall(identities.setAgentWallet, (1, BOB, NOW, signWallet(BOB_KEY, 1, BOB, ALICE, NOW)));
        vm.prank(ALICE);
        identities.approve(CAROL, 1);
        vm.prank(ALICE);
        identities.setApprovalForAll(BOB, true);
        address[3] memory allowed = [ALICE, BOB, CAROL];
        for (uint256 index = 0; index < changes.length; index++) {
            for (uint256 who = 0; who < allowed.length; who++) {
                vm.prank(allowed[who]);
                (bool success,) = address(identities).call(changes[index]);
                vm.assertTrue(success, "allowed");
            }
            vm.prank(STRANGER);
            (, bytes memory answer) = address(identities).call(changes[index]);
            bytes memory reason = abi.encodeWithSelector(IdentityRegistry.NotAuthorized.selector, STRANGER, 1);
            vm.assertEq(keccak256(answer), keccak256(reason), "refused");
        }
        vm.assertEq(identities.tokenURI(1), "uri", "uri");
        vm.assertEq(string(identities.getMetadata(1, "key")), "value", "metadata");
        vm.assertEq(identities.getAgentWallet(1), BOB, "wallet");
        vm.expectRevert(unknownAgent(2));
        identities.setAgentURI(2, "uri");
    }

    function test_aNewWalletSignsForItselfInTime() public {
        register(ALICE);
        bytes memory signature = signWallet(BOB_KEY, 1, BOB, ALICE, NOW + 5 minutes);
        bytes memory byOwner = signWallet(ALICE_KEY, 1, BOB, ALICE, NOW);
        bytes memory ofOtherAgent = signWallet(BOB_KEY, 2, BOB, ALICE, NOW);
        bytes memory ofOtherOwner = signWallet(BOB_KEY, 1, BOB, CAROL, NOW);
        requireWalletRefused(BOB, NOW, byOwner, abi.encodeWithSelector(IdentityRegistry.WrongWalletSignature.selector));
        requireWalletRefused(
            BOB, NOW, ofOtherAgent, abi.encodeWithSelector(IdentityRegistry.WrongWalletSignature.selector)
        );
        requireWalletRefused(
            BOB, NOW, ofOtherOwner, abi.encodeWithSelector(IdentityRegistry.WrongWalletSignature.selector)
        );
        requireWalletRefused(
            address(0), NOW, "", abi.encodeWithSelector(IdentityRegistry.WalletNotAllowed.selector, address(0))
        );
        requireWalletRefused(
            BOB, NOW - 1, "", abi.encodeWithSelector(IdentityRegistry.DeadlineNotAllowed.selector, NOW - 1)
        );
        uint256 late = NOW + 5 minutes + 1;
        requireWalletRefused(BOB, late, "", abi.encodeWithSelector(IdentityRegistry.DeadlineNotAllowed.selector, late));
        vm.prank(ALICE);
        identities.setAgentWallet(1, BOB, NOW + 5 minutes, signature);
        vm.assertEq(identities.getAgentWallet(1), BOB, "wallet");
        bytes memory byKeeper = signWallet(KEEPER_KEY, 1, address(wallet), ALICE, NOW);
        vm.prank(ALICE);
        identities.setAgentWallet(1, address(wallet), NOW, byKeeper);
        vm.assertEq(identities.getAgentWallet(1), address(wallet), "with code");
    }

    function test_aTransferClearsTheWalletAndNothingElse() public {
        register(ALICE);
        vm.prank(ALICE);
        identities.setMetadata(1, "key", "value");
        vm.prank(ALICE);
        identities.transferFrom(ALICE, BOB, 1);
        vm.assertEq(identities.getAgentWallet(1), address(0), "cleared");
        vm.assertEq(string(identities.getMetadata(1, "key")), "value", "kept");
        vm.assertEq(identities.agentOf(ALICE), 1, "she registered it");
        vm.assertTrue(identities.isAuthorizedOrOwner(BOB, 1), "his");
        vm.assertFalse(identities.isAuthorizedOrOwner(ALICE, 1), "no longer hers");
    }

    function requireWalletRefused(address newWallet, uint256 deadline, bytes memory signature, bytes memory reason)
        private
    {
        vm.prank(ALICE);
        vm.expectRevert(reason);
        identities.setAgentWallet(1, newWallet, deadline, signature);
    }

    function signWallet(uint256 key, uint256 agentId, address newWallet, address owner, uint256 deadline)
        private
        view
        returns (bytes memory)
    {
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256("AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)"),
                agentId,
                newWallet,
                owner,
                deadline
            )
        );
        return signIn(key, "ERC8004IdentityRegistry", address(identities), structHash);
    }
}
